// What the pages of a host do beyond showing: loaded by all of them, it looks for what is there.
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
