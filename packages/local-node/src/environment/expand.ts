/** `$(NAME)` becomes the variable's value, `$$` a dollar sign; what names no variable stays as it is. */
export function expand(text: string, known: (name: string) => string | undefined): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (found, name: string | undefined) => {
    if (name === undefined) return '$'
    return known(name) ?? found
  })
}
