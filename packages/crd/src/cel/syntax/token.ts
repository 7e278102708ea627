export type TokenKind =
  | 'punctuation'
  | 'identifier'
  | 'escaped-identifier'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The source text, including quotes and prefixes. */
  readonly text: string
  /** The offset in code points. */
  readonly offset: number
}
