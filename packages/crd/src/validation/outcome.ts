import type { Pattern } from '../format/pattern.ts'
import type { Finding } from './finding.ts'

/** The constant inputs of a report. */
export interface ReportContext {
  /** A path such as `status` that is prepended to the fields of errors, but not to the paths in their messages. */
  readonly fieldPrefix: string
  /** The compiled pattern, or its error. */
  pattern(source: string): Pattern | string
}

export interface Report {
  findings: Finding[]
  /**
   * The number of passed checks, counted as in upstream. It determines which branch of an `anyOf` or `oneOf` is
   * reported if none matches.
   */
  matches: number
}

/** The field of an error for a path. Members of a root map have a path with a leading dot. */
export function fieldOf(path: string, context: ReportContext): string {
  const name = path.startsWith('.') ? path.slice(1) : path
  if (context.fieldPrefix === '' || name === '') return name === '' ? context.fieldPrefix : name
  return `${context.fieldPrefix}.${name}`
}

export function merge(into: Report, from: Report): void {
  for (const finding of from.findings) into.findings.push(finding)
  into.matches += from.matches
}
