import { mapText } from '../../run-contract/map-text.ts'

/**
 * Escapes text for arguments and variables, in which Kubernetes expands `$(NAME)` and `$$`. Text of a task or a
 * parameter must not be expanded: `$(VCS_TOKEN)` in an issue would reveal the token to the agent.
 */
export function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** Escapes every string in the value. */
export function literalIn<T>(value: T): T {
  return mapText(value, literal)
}
