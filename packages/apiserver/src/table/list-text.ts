/** The first few items, and how many more there are: `a,b,c + 2 more...`. */
export function listWithMore(items: readonly string[], shown: number, separator = ','): string {
  const text = items.slice(0, shown).join(separator)
  return items.length > shown ? `${text} + ${items.length - shown} more...` : text
}
