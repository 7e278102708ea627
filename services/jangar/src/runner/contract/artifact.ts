import { optional, type ReadBy, record, someText, text } from './reader.ts'

/** Something worth keeping, and where it is to be found; the same words as in AgentProvider and in a run's status. */
export const artifact = record({
  name: someText,
  path: optional(text),
  key: optional(text),
  url: optional(text),
})

export type Artifact = ReadBy<typeof artifact>
