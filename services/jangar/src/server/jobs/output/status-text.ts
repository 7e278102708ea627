import { redact } from '@agents/log'
import type { SecretMask } from '../../../run-contract/secrets/secret-mask.ts'
import type { LogTail } from './log-tail.ts'

const maxShownLength = 512

/** The kubelet cuts termination messages to this many bytes. */
const maxMessageBytes = 4096

/** The termination message of a program: masked first, then shortened. */
export function shownMessage(text: string, mask: SecretMask): string {
  // The kubelet cuts at the front, other programs at the end: a part of a secret may be left on either side.
  const isCut = Buffer.byteLength(text) >= maxMessageBytes - 3
  const masked = mask(text)
  const whole = isCut ? masked.slice(mask.longest, masked.length - mask.longest) : masked
  const safe = redact(whole.trim())
  return safe.length <= maxShownLength
    ? safe
    : `${safe.slice(0, maxShownLength - 1)}…`.toWellFormed()
}

/** The end of a program's output: masked first, then shortened. */
export function shownTail({ text, isCutBefore, isCutAfter }: LogTail, mask: SecretMask): string {
  const masked = mask(text)
  const ending = isCutAfter ? masked.slice(0, Math.max(0, masked.length - mask.longest)) : masked
  const whole = isCutBefore ? ending.slice(ending.indexOf('\n') + 1) : ending
  const safe = redact(whole.trim())
  return safe.length <= maxShownLength ? safe : `…${safe.slice(1 - maxShownLength)}`.toWellFormed()
}
