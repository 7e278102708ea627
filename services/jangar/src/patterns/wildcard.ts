/** Whether the whole text fits the pattern, in which `*` stands for any text, also none. Takes linear time. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  const tail = rest.pop()
  if (tail === undefined) return text === pattern
  if (!text.startsWith(head)) return false
  let at = head.length
  for (const part of rest) {
    const next = text.indexOf(part, at)
    if (next === -1) return false
    at = next + part.length
  }
  return text.length - at >= tail.length && text.endsWith(tail)
}

/** The first of the patterns that the text fits. */
export function firstMatch(patterns: readonly string[], text: string): string | undefined {
  return patterns.find((pattern) => matchesWildcard(pattern, text))
}
