import { randomBytes } from 'node:crypto'

export function uniqueName(word: string): string {
  return `${word}-${randomBytes(6).toString('hex')}`
}
