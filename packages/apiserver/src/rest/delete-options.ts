export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly orphanDependents?: boolean
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  readonly dryRun: boolean
}
