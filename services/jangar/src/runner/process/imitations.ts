const prefix = '{"time":"'

/**
 * Puts a space before each line that imitates a log line of the runner about its run. In the log of a pod both come
 * from the same container, and only the form of a line tells them apart.
 */
export function withoutImitations(text: string, ownRun: string): string {
  if (!text.startsWith(prefix) && !text.includes(`\n${prefix}`)) return text
  return text
    .split('\n')
    .map((line) => (isImitation(line, ownRun) ? ` ${line}` : line))
    .join('\n')
}

function isImitation(line: string, ownRun: string): boolean {
  if (!line.startsWith(prefix)) return false
  try {
    // Names may be written with escapes, so that only the parsed line shows them.
    const { run } = JSON.parse(line.trimEnd()) as Record<string, unknown>
    return run === ownRun
  } catch {
    return false
  }
}
