import { RE2JS } from 're2js'
import { checkWorkLimit, WorkLimitExceeded } from '../work-limit.ts'
import { translateSafePattern } from './safe-pattern.ts'

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean
}

/**
 * Compiles the `pattern` of a schema with the syntax and the linear time of RE2. Patterns that JavaScript's
 * backtracking engine provably matches with the same result in bounded time use that engine, which is an order of
 * magnitude faster. Throws Go's message if the pattern is not valid RE2.
 */
export function compilePattern(source: string): Pattern {
  const linear = compileLinear(source)
  const safe = translateSafePattern(source)
  const test = (text: string): boolean => {
    // The work is linear in the pattern and the text.
    checkWorkLimit(text.length * Math.ceil(source.length / 50))
    return linear.test(text)
  }
  if (safe === undefined) return { test }
  return {
    test: (text) => (text.length <= safe.maxLength ? safe.regex.test(text) : test(text)),
  }
}

function compileLinear(source: string): RE2JS {
  checkWorkLimit(source.length * 10)
  return RE2JS.compile(source)
}

/** The problem of a pattern, worded as Go does; undefined if it compiles. */
export function patternProblem(source: string): string | undefined {
  try {
    compileLinear(source)
    return undefined
  } catch (error) {
    if (error instanceof WorkLimitExceeded) throw error
    return error instanceof Error ? error.message : String(error)
  }
}
