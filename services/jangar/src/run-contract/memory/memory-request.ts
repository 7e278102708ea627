/** The variables of `agent-memory`. Only the controller sets them. */
export const memoryVariables = {
  connection: 'AGENT_MEMORY_CONNECTION',
  request: 'AGENT_MEMORY_REQUEST',
  embeddingsToken: 'AGENT_MEMORY_EMBEDDINGS_TOKEN',
} as const

/** An operation on a Memory, as JSON in a variable of its program. */
export interface MemoryRequest {
  /** Separates Memories that share a database. */
  readonly dataset: string
  readonly operation: 'put' | 'get' | 'search'
  readonly key?: string
  readonly value?: string
  readonly query?: string
  readonly limit?: number
  /** Where texts become vectors. If omitted, searches compare words only. */
  readonly embeddings?: { readonly url: string; readonly model: string }
}
