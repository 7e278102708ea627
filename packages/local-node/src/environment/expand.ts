/**
 * Replaces `$(NAME)` with the value of the variable and `$$` with a dollar sign. Unknown variables are kept as they
 * are.
 */
export function expand(text: string, known: (name: string) => string | undefined): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (found, name: string | undefined) => {
    if (name === undefined) return '$'
    return known(name) ?? found
  })
}
