import { randomBytes } from 'node:crypto'

export const uniqueName = (word: string): string => `${word}-${randomBytes(6).toString('hex')}`
