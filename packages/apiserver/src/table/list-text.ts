/** Prints the first items and the number of the remaining ones: `a,b,c + 2 more...`. */
export function listWithMore(items: readonly string[], limit: number, separator = ','): string {
  const text = items.slice(0, limit).join(separator)
  return items.length > limit ? `${text} + ${items.length - limit} more...` : text
}
