/** Arithmetic. */

export type FormulaNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'operand'; readonly index: number } // of FormulaPlan.operands, or of the fields of arithmetic
  | { readonly kind: 'negate'; readonly term: FormulaNode }
  | {
      readonly kind: 'binary';
      readonly op: '+' | '-' | '*' | '/';
      readonly left: FormulaNode;
      readonly right: FormulaNode;
    };
