import type { Pattern } from '../format/pattern.ts'
import type { Finding } from './finding.ts'

/** What every step of a report needs and none changes. */
export interface ReportContext {
  /** Prepended to the fields of errors, not to the paths inside their messages: `status` for a status write. */
  readonly fieldPrefix: string
  /** The compiled pattern, or what is wrong with it. */
  pattern(source: string): Pattern | string
}

export interface Report {
  findings: Finding[]
  /**
   * How many checks were made and passed, counted as upstream counts: it decides which branch of an `anyOf` or `oneOf`
   * is reported when none holds.
   */
  matches: number
}

/** The field of an error about a path; a leading dot comes from members of a root map. */
export function fieldOf(path: string, context: ReportContext): string {
  const name = path.startsWith('.') ? path.slice(1) : path
  if (context.fieldPrefix === '' || name === '') return name === '' ? context.fieldPrefix : name
  return `${context.fieldPrefix}.${name}`
}

export function merge(into: Report, from: Report): void {
  for (const finding of from.findings) into.findings.push(finding)
  into.matches += from.matches
}
