export type { ArtifactStore, Content } from './artifact-store.ts'
export type { ContentAddress } from './content-address.ts'
export { openStore, type StoreSettings } from './open-store.ts'
export { StoreError } from './store-error.ts'
