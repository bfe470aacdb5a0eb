// npm run build
import { build } from './steps.mjs';

build();
