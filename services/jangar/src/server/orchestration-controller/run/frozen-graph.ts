import type { Orchestration, OrchestrationRun } from '@agents/jangar-api'
import { digestOf } from '../../kubernetes/digest.ts'
import type { Graph, OrchestrationSpec } from '../definition/graph.ts'
import { readGraph } from '../definition/read-graph.ts'

type Frozen = NonNullable<NonNullable<OrchestrationRun['status']>['orchestration']>

/** The Orchestration as it is now: later changes do not reach the run. */
export function freeze({ metadata, spec }: Orchestration): Frozen {
  return {
    ...(metadata.generation !== undefined && { generation: metadata.generation }),
    digest: digestOf(spec),
    spec: spec as unknown as NonNullable<Frozen['spec']>,
  }
}

const mostGraphs = 100

/**
 * Reads frozen graphs, each once as long as it is in use: checking hundreds of steps takes milliseconds. A digest that
 * is not that of its graph is an error, and namespaces share nothing: whoever could write a status must not reach the
 * runs of others.
 */
export class FrozenGraphs {
  readonly #known = new Map<string, Graph>()

  graphOf({ metadata: { namespace = '' }, status }: OrchestrationRun): Graph | undefined {
    const { digest = '', spec } = status?.orchestration ?? {}
    if (spec === undefined) return undefined
    const key = `${namespace}/${digest}`
    const known = this.#known.get(key)
    this.#known.delete(key)
    const graph = known ?? read(spec as unknown as OrchestrationSpec, digest)
    this.#known.set(key, graph)
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostGraphs && oldest !== undefined) this.#known.delete(oldest)
    return graph
  }
}

/** It was valid when it was frozen. */
function read(spec: OrchestrationSpec, digest: string): Graph {
  if (digestOf(spec) !== digest) {
    throw new TypeError('status.orchestration: the digest is not that of the graph')
  }
  const result = readGraph(spec)
  if (result.ok) return result.graph
  const [problem] = result.problems
  throw new TypeError(`${problem?.path}: ${problem?.message}`)
}
