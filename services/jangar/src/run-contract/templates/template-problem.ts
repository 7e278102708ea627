/** Why a template cannot be read or filled in. The message names what is wrong and shows no values. */
export interface TemplateProblem {
  readonly code: 'Unclosed' | 'NotAPath' | 'UnknownPath' | 'TooLarge'
  /** Where the expression begins, counted in UTF-16 units from the start of the template. */
  readonly offset: number
  readonly message: string
}
