import { RE2JS, RE2JSException } from 're2js'
import { checkWorkLimit } from '../../work-limit.ts'
import { listOf } from './container.ts'
import { CelError, type Value } from './value.ts'

/** Compiles an RE2 pattern, or returns an error. Matching is linear in the text for any pattern. */
export function compilePattern(pattern: string): RE2JS | CelError {
  checkWorkLimit(pattern.length * 10)
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (error instanceof RE2JSException) return new CelError(describe(error.message))
    throw error
  }
}

/** Whether the pattern occurs anywhere in the text. */
export function matchesPattern(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern)
  return compiled instanceof CelError ? compiled : compiled.matcher(text).find()
}

function describe(message: string): string {
  return message.startsWith('error parsing regexp') ? message : `error parsing regexp: ${message}`
}

/** The leftmost match, or the empty string. */
export function findMatch(compiled: RE2JS, text: string): string {
  const matcher = compiled.matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

/** All non-overlapping matches, at most `limit` unless that is negative. */
export function findAllMatches(compiled: RE2JS, text: string, limit: bigint): Value {
  const matches: Value[] = []
  const matcher = compiled.matcher(text)
  while ((limit < 0n || BigInt(matches.length) < limit) && matcher.find()) {
    matches.push(matcher.group() ?? '')
  }
  return listOf(matches)
}
