export type { ArtifactStore, Content } from './artifact-store.ts'
export type { ContentAddress } from './content-address.ts'
export { openStore, type StoreSettings } from './open-store.ts'
export { StoreError, type StoreErrorReason } from './store-error.ts'
