import { compilePredicate, type PredicateVariables } from '@agents/crd'
import { type ExpressionNames, pathProblem } from './expression-names.ts'
import type { Problem } from './problem.ts'
import type { Scope } from './scope.ts'

interface Expression {
  /** The problem has no path: the caller knows where the expression stands. */
  evaluate(
    scope: Scope,
  ):
    | { readonly ok: true; readonly value: boolean }
    | { readonly ok: false; readonly problem: Problem }
}

type CompiledExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly problem: Problem }

/**
 * Compiles the CEL expression of `when` or `match`. It can use what `names` lists: parameters and steps by constant
 * names only, so that what a step depends on is known before it runs.
 */
export function compileExpression(source: string, names: ExpressionNames): CompiledExpression {
  const compiled = compilePredicate(source, variablesOf(names))
  if (!compiled.ok) return { ok: false, problem: invalid(firstLine(compiled.error)) }
  const { predicate } = compiled
  for (const path of predicate.paths) {
    if (path.length === 1 && path[0] === 'steps') {
      return { ok: false, problem: invalid('steps can be used only by name, such as steps.plan') }
    }
    const wrong = path.length === 1 ? undefined : pathProblem(path, names)
    if (wrong !== undefined) return { ok: false, problem: invalid(wrong) }
  }
  return {
    ok: true,
    expression: {
      evaluate: (scope) => {
        const outcome = predicate.evaluate({ ...scope })
        return outcome.ok ? outcome : { ok: false, problem: invalid(outcome.error) }
      },
    },
  }
}

/** The compiler also shows the source, which the reader of a condition has. */
function firstLine(error: string): string {
  return (error.split('\n', 1)[0] ?? '').replace(/^ERROR: <input>:(\d+:\d+): /, 'at $1: ')
}

function invalid(message: string): Problem {
  return { reason: 'ExpressionInvalid', path: '', message }
}

function variablesOf(names: ExpressionNames): PredicateVariables {
  const run = { name: 'string', namespace: 'string' } as const
  return {
    parameters: { mapOf: 'string' },
    steps: { mapOf: { fields: { outcome: 'string', outputs: { mapOf: 'any' } } } },
    run: { fields: names.hasRunOutcome ? { ...run, outcome: 'string' } : run },
    ...(names.hasItem && { item: 'any' }),
    ...(names.hasPayload && { payload: 'any' }),
  }
}
