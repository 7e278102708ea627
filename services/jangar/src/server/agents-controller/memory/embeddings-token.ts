import { defaultEmbeddingsKey, type Memory } from '@agents/jangar-api'

/** The key of a Secret with the token for the embeddings of a Memory. Undefined if none is used. */
export function embeddingsToken({ spec: { embeddings } }: Memory) {
  if (embeddings?.secretRef === undefined) return undefined
  const { name, key = defaultEmbeddingsKey } = embeddings.secretRef
  return { kind: 'Secret', name, key } as const
}
