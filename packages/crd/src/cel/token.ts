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
  /** As written, including quotes and prefixes. */
  readonly text: string
  /** In code points. */
  readonly offset: number
}
