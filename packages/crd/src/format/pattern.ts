import { RE2JS } from 're2js'
import { translateSafePattern } from './safe-pattern.ts'

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean
}

/**
 * A `pattern` of a schema, in RE2's dialect and with its linear time. Patterns that the platform's backtracking engine
 * provably matches alike and cheaply take that one, an order of magnitude faster.
 * Throws when the pattern is not valid RE2; the message is Go's.
 */
export function compilePattern(source: string): Pattern {
  const linear = RE2JS.compile(source)
  const safe = translateSafePattern(source)
  if (safe === undefined) return linear
  return {
    test: (text) => (text.length <= safe.maxLength ? safe.regex.test(text) : linear.test(text)),
  }
}

/** What is wrong with a pattern, as Go says it; undefined when it compiles. */
export function patternProblem(source: string): string | undefined {
  try {
    RE2JS.compile(source)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
