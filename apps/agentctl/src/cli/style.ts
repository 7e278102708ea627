/** Marks text for a terminal, or leaves it as it is. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
}

const marks = { bold: 1, dim: 2, bad: 31, good: 32, warn: 33 } as const

export function createStyle(colours: boolean): Style {
  const mark = (code: number) => (text: string) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    bold: mark(marks.bold),
    dim: mark(marks.dim),
    good: mark(marks.good),
    bad: mark(marks.bad),
    warn: mark(marks.warn),
  }
}
