import { styleMark } from './terminal-text.ts'

/** Marks text for `Output.write`, which turns the marks into colours, or leaves it as it is. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  good(text: string): string
  bad(text: string): string
  warn(text: string): string
}

const marks = { bold: 1, dim: 2, bad: 31, good: 32, warn: 33 } as const

export function createStyle(colours: boolean): Style {
  const mark = (code: number) => (text: string) =>
    colours ? `${styleMark(code)}${text}${styleMark(0)}` : text
  return {
    bold: mark(marks.bold),
    dim: mark(marks.dim),
    good: mark(marks.good),
    bad: mark(marks.bad),
    warn: mark(marks.warn),
  }
}
