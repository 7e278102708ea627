import { type ArtifactStore, openStore } from '@agents/artifact-store'
import type { ConfigOf } from '@agents/config'
import type { artifacts } from '../../config/artifacts.ts'

/** The store that the settings name. Undefined if there is none. */
export function openArtifactStore(config: ConfigOf<typeof artifacts>): ArtifactStore | undefined {
  const { store, folder = '', endpoint = '', region, bucket = '', pathStyle } = config
  if (store === 'off') return undefined
  if (store === 'file') return openStore({ driver: 'file', folder })
  const { keyPrefix: prefix, accessKeyId = '', secretAccessKey = '' } = config
  const keys = { accessKeyId, secretAccessKey }
  return openStore({ driver: 's3', endpoint, region, bucket, prefix, pathStyle, ...keys })
}
