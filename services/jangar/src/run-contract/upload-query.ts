/** The path of the control plane's API where pods upload artifacts, with these parameters of the query. */
export const uploadPath = '/v1/artifacts'

export type UploadType = 'file' | 'log'

/** What an upload is: `sha256` and `sizeBytes` are those of the whole content. */
export interface UploadQuery {
  readonly type: UploadType
  readonly name: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** The name of the artifact that holds the output of a pod. */
export const logArtifact = 'log'

/** The name of the artifact that shows what the agent did, as Markdown. */
export const transcriptArtifact = 'transcript.md'

/** The name of the artifact with changes that the push policy refused. */
export const refusedArtifact = 'refused.patch'
