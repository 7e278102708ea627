import type { PrinterColumn } from '@agents/crd'

function ofReady(field: 'status' | 'reason' | 'message'): Pick<PrinterColumn, 'type' | 'jsonPath'> {
  return { type: 'string', jsonPath: `.status.conditions[?(@.type=="Ready")].${field}` }
}

export const ready: PrinterColumn = {
  name: 'Ready',
  ...ofReady('status'),
  description: 'Whether every gate has passed.',
}

export const reason: PrinterColumn = {
  name: 'Reason',
  ...ofReady('reason'),
  description: 'Why it is ready or not, in one word.',
}

/** Long, so it is shown with `-o wide` only. */
export const message: PrinterColumn = {
  name: 'Message',
  ...ofReady('message'),
  description: 'Why it is ready or not, and what to do about it.',
  priority: 1,
}
