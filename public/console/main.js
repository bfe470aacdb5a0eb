// Scripts for the pages of a host: every page loads this file, which acts on what it finds there.
import { addConfirmation } from './confirm.js';
import { addCopying } from './copy.js';
import { addFirstEvent } from './first-event.js';
import { addForms } from './forms.js';
import { addFragments } from './fragment.js';
import { addForgetting } from './kept-questions.js';
import { addSecrets } from './secret.js';

addConfirmation();
addForms();
addSecrets();
addCopying();
addFirstEvent();
addFragments();
addForgetting();
