import type { RawStep } from './graph.ts'
import { isCount } from './is-count.ts'
import { incomplete, invalid, type Wrong } from './wrong-step.ts'

interface Operation {
  readonly needs: readonly string[]
  readonly takes: readonly string[]
  /** The names of what it finds. */
  readonly outputs: readonly string[]
}

const operations: Readonly<Record<string, Operation>> = {
  put: { needs: ['key', 'value'], takes: [], outputs: ['key'] },
  get: { needs: ['key'], takes: [], outputs: ['found', 'value'] },
  search: { needs: ['query'], takes: ['limit'], outputs: ['count', 'entries', 'omitted'] },
}

const mostFound = 20

/** The author of the graph chooses Memory and operation: whoever starts a run must not turn a get into a put. */
export function wrongMemoryStep({ memoryRef, with: values = {} }: RawStep): Wrong | undefined {
  if (memoryRef !== undefined && !memoryRef.name) {
    return incomplete('memoryRef', 'name the Memory, or omit it to use the default one')
  }
  const names = Object.keys(operations).join(', ')
  if (!values.op) return incomplete('with.op', `set it to one of ${names}`)
  const operation = operationOf(values.op)
  if (operation === undefined) return invalid('with.op', `must be one of ${names}, not a template`)
  const { needs, takes } = operation
  const missing = needs.find((name) => values[name] === undefined)
  if (missing !== undefined) return incomplete(`with.${missing}`, `${values.op} needs it`)
  const known = ['op', ...needs, ...takes]
  const unknown = Object.keys(values).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    return invalid(`with.${unknown}`, `${values.op} takes ${[...needs, ...takes].join(', ')} only`)
  }
  return limitProblem(values.limit)
}

/** The names of the outputs of a step, which are known before it runs. */
export function memoryOutputs({ with: values = {} }: RawStep): ReadonlySet<string> {
  return new Set(operationOf(values.op ?? '')?.outputs)
}

function operationOf(name: string): Operation | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined
}

function limitProblem(limit: string | undefined): Wrong | undefined {
  if (limit === undefined || limit.includes('{{')) return undefined
  const count = Number(limit)
  const isGood = limit.trim() !== '' && isCount(count) && count > 0 && count <= mostFound
  return isGood ? undefined : invalid('with.limit', `must be a whole number from 1 to ${mostFound}`)
}
