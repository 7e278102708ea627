import { mapText } from '../../../../runner/contract/map-text.ts'

/**
 * Kubernetes puts variables into arguments and variables itself, `$(NAME)` and `$$`. What comes from a task or a parameter
 * must not reach for them: `$(VCS_TOKEN)` in an issue's text would hand the token to the agent.
 */
export function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** The same value with every text in it made literal. */
export function literalIn<T>(value: T): T {
  return mapText(value, literal)
}
