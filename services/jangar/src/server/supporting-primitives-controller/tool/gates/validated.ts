import { type GateOf, pass, stall } from '@agents/controller'
import type { Tool, toolConditions } from '@agents/jangar-api'
import { toolProblem } from '../tool-problem.ts'

export const validated: GateOf<typeof toolConditions, 'Validated', Tool> = {
  condition: 'Validated',
  check: (tool) => {
    const problem = toolProblem(tool)
    if (problem !== undefined) return stall(problem.reason, problem.message)
    return pass('Valid', 'the spec is valid')
  },
}
