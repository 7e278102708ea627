/** JSON with one entry of each listed table per line, so that a change of one definition is a change of one line. */
export function jsonWithLines(value: Readonly<Record<string, unknown>>): string {
  const sections = Object.entries(value).map(
    ([key, section]) => `${JSON.stringify(key)}:${sectionText(section)}`,
  )
  return `{\n${sections.join(',\n')}\n}\n`
}

function sectionText(section: unknown): string {
  if (Array.isArray(section)) {
    return `[\n${section.map((item) => JSON.stringify(item)).join(',\n')}\n]`
  }
  if (typeof section !== 'object' || section === null) return JSON.stringify(section)
  const lines = Object.entries(section).map(
    ([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}
