import { randomBytes } from 'node:crypto'

/** Random text of about this size, in lines as those of a private key. */
export function linesOfKey(size: number): string {
  const text = randomBytes(Math.ceil(size * 0.74)).toString('base64')
  return text.match(/.{1,64}/g)?.join('\n') ?? ''
}
