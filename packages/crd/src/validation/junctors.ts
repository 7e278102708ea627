import { invalid } from '../field-error/constructors.ts'
import { goQuote } from '../go-text.ts'
import type { Schema } from '../schema/schema.ts'
import { merge, type Report, type ReportContext } from './outcome.ts'

/** Checks `anyOf`, `oneOf`, `allOf` and `not`. Reports the errors of the best matching branch. */
export function checkJunctors(
  schema: Schema,
  path: string,
  context: ReportContext,
  evaluate: (branch: Schema) => Report,
): Report {
  const inner: Report = { findings: [], matches: 1 }
  const addError = (detail: string) => {
    inner.findings.push({ key: detail, error: invalid(context.fieldPrefix, '', detail) })
  }
  const name = goQuote(path)
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    checkAnyOf(schema.anyOf, evaluate, inner, () =>
      addError(`${name} must validate at least one schema (anyOf)`),
    )
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    checkOneOf(schema.oneOf, evaluate, inner, (found) =>
      addError(`${name} must validate one and only one schema (oneOf). ${found}`),
    )
  }
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    const reports = schema.allOf.map(evaluate)
    for (const branch of reports) merge(inner, branch)
    const valid = reports.filter(isValid).length
    if (valid !== reports.length) {
      addError(
        `${name} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      )
    }
  }
  if (schema.not !== undefined && isValid(evaluate(schema.not))) {
    addError(`${name} must not validate the schema (not)`)
  }
  inner.matches += 1
  return inner
}

function checkAnyOf(
  branches: readonly Schema[],
  evaluate: (branch: Schema) => Report,
  inner: Report,
  addError: () => void,
): void {
  let best: Report | undefined
  for (const branch of branches) {
    const outcome = evaluate(branch)
    if (isValid(outcome)) {
      merge(inner, outcome)
      return
    }
    if (best === undefined || outcome.matches > best.matches) best = outcome
  }
  addError()
  if (best !== undefined) merge(inner, best)
}

function checkOneOf(
  branches: readonly Schema[],
  evaluate: (branch: Schema) => Report,
  inner: Report,
  addError: (found: string) => void,
): void {
  const outcomes = branches.map(evaluate)
  const valid = outcomes.filter(isValid)
  const [only] = valid
  if (valid.length === 1 && only !== undefined) {
    merge(inner, only)
    return
  }
  if (valid.length > 1) {
    addError(`Found ${valid.length} valid alternatives`)
    return
  }
  addError('Found none valid')
  const best = outcomes.reduce((a, b) => (b.matches > a.matches ? b : a))
  merge(inner, best)
}

function isValid(outcome: Report): boolean {
  return outcome.findings.length === 0
}
