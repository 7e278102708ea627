/**
 * Prunes, defaults and validates a typical AgentRun and GitTarget, compared with compiled ajv on the same schema, which
 * only validates. Rounds alternate, so that other load affects both equally.
 */

import type { Json, Schema } from '@agents/crd'
import { compileSchema } from '@agents/crd'
import { gitTarget } from '@agents/gittarget-api'
import { agentRun } from '@agents/jangar-api'
import { compileWithAjv } from '../support/kinds/ajv-schema.ts'
import { type Measured, measureAlternately } from './crd/measure.ts'
import { typicalAgentRun, typicalGitTarget } from './crd/typical-objects.ts'

export function run(): void {
  compare('AgentRun', agentRun.schema, typicalAgentRun)
  compare('GitTarget', gitTarget.schema, typicalGitTarget)
}

function compare(kind: string, schema: Schema, object: Json): void {
  const compiled = compileSchema(schema)
  const ajv = compileWithAjv(schema)
  const completed = structuredClone(object)
  compiled.applyDefaults(completed)
  const dropped = compiled.prune(structuredClone(object), { isResourceRoot: true })
  const errors = compiled.validate(completed)
  if (dropped.length > 0 || errors.length > 0 || !ajv(completed)) {
    throw new Error(
      `the typical ${kind} is not valid: ${JSON.stringify({ dropped, errors, ajv: ajv.errors })}`,
    )
  }
  const [ours, theirs] = measureAlternately([
    () => {
      if (compiled.prune(completed, { isResourceRoot: true }).length > 0) throw new Error('dropped')
      compiled.applyDefaults(completed)
      if (compiled.validate(completed).length > 0) throw new Error('invalid')
    },
    () => {
      if (!ajv(completed)) throw new Error('invalid')
    },
  ])
  if (ours === undefined || theirs === undefined) throw new Error('nothing was measured')
  console.log(`${kind} (${JSON.stringify(completed).length} bytes)`)
  console.log(`  prune + default + validate  ${describe(ours)}`)
  console.log(`  ajv, validate only          ${describe(theirs)}`)
  console.log(
    `  ratio                       ${(ours.median / theirs.median).toFixed(2)} (1 or more is the goal)`,
  )
}

function describe({ median, low, high }: Measured): string {
  const perSecond = (value: number) => Math.round(value).toLocaleString('en-US')
  return `${perSecond(median)}/s median, ${perSecond(low)} to ${perSecond(high)}`
}
