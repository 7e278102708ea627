import { ApiFailure } from '@agents/client'
import type { ReactNode } from 'react'
import { Plain } from './plain.tsx'

/** Something that the reader should know, beside what it concerns. */
export function Notice({
  tone = 'info',
  children,
}: {
  readonly tone?: 'info' | 'bad' | 'wait'
  readonly children: ReactNode
}) {
  return (
    <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** What failed, and why. */
export function FailureNotice({ what, error }: { readonly what: string; readonly error: unknown }) {
  return (
    <Notice tone="bad">
      <strong>{what}</strong> <Plain text={failureText(error)} />
    </Notice>
  )
}

function failureText(error: unknown): string {
  if (error instanceof ApiFailure) return `${error.message} (${error.code})`
  return error instanceof Error ? error.message : 'unknown failure'
}
