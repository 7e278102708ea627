import { type GateOf, pass, stall } from '@agents/controller'
import type { Orchestration, orchestrationConditions } from '@agents/jangar-api'
import { readGraph } from '../read-graph.ts'

export const validated: GateOf<typeof orchestrationConditions, 'Validated', Orchestration> = {
  condition: 'Validated',
  check: ({ spec }) => {
    const result = readGraph(spec)
    if (result.ok) return pass('Valid', 'the spec is valid')
    const [first, ...others] = result.problems
    if (first === undefined) throw new TypeError('a graph is invalid without a reason')
    const more = others.length === 0 ? '' : ` (and problems of ${others.length} other fields)`
    return stall(first.reason, `${first.path}: ${first.message}${more}`)
  },
}
