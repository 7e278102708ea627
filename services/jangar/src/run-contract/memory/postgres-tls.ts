import type { ConnectionOptions } from 'node:tls'
import type { StoreAddress } from './store-address.ts'

/** Interprets `sslmode` as libpq does, without certificate files. Undefined if the value is unknown. */
export function postgresTls({ options }: StoreAddress): ConnectionOptions | false | undefined {
  switch (options.get('sslmode') ?? (options.get('ssl') === 'true' ? 'verify-full' : 'prefer')) {
    case 'disable':
    case 'allow':
    case 'prefer':
      return false
    case 'require':
    case 'no-verify':
      return { rejectUnauthorized: false }
    case 'verify-ca':
      return { checkServerIdentity: () => undefined }
    case 'verify-full':
      return {}
    default:
      return undefined
  }
}
