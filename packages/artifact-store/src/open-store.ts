import type { ArtifactStore } from './artifact-store.ts'
import { openFileStore } from './file/file-store.ts'
import type { S3Settings } from './s3/s3-settings.ts'
import { openS3Store } from './s3/s3-store.ts'

export type StoreSettings =
  | { readonly driver: 'file'; readonly folder: string }
  | ({ readonly driver: 's3' } & S3Settings)

export function openStore(settings: StoreSettings): ArtifactStore {
  return settings.driver === 'file' ? openFileStore(settings.folder) : openS3Store(settings)
}
