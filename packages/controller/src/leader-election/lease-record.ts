import type { Lease } from '@agents/kube'

/** The part of a Lease that candidates read. */
export interface LeaseRecord {
  readonly holder: string
  readonly durationMs: number
  readonly acquireTime: string
  readonly renewTime: string
  readonly transitions: number
}

export function readLease({ spec = {} }: Lease): LeaseRecord {
  return {
    holder: spec.holderIdentity ?? '',
    durationMs: (spec.leaseDurationSeconds ?? 0) * 1000,
    acquireTime: spec.acquireTime ?? '',
    renewTime: spec.renewTime ?? '',
    transitions: spec.leaseTransitions ?? 0,
  }
}

export function leaseSpec(record: LeaseRecord): NonNullable<Lease['spec']> {
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: Math.ceil(record.durationMs / 1000),
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  }
}

export function isSameRecord(a: LeaseRecord | undefined, b: LeaseRecord): boolean {
  return (
    a !== undefined &&
    a.holder === b.holder &&
    a.durationMs === b.durationMs &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime &&
    a.transitions === b.transitions
  )
}

/** `metav1.MicroTime`: six digits, always. */
export function microTime(time: Date): string {
  return time.toISOString().replace(/(\.\d{3})Z$/, '$1000Z')
}
