import type { AnyKind } from '@agents/crd'

/** The kinds that no controller of this release reconciles: they are validated and stored, and have no effect. */
export const unreconciledKinds: readonly AnyKind[] = []
