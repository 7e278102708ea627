import { ApiError } from '../status/api-error.ts'

/**
 * Thrown where an object is needed in another version and a webhook has not converted it yet. A 500 if nobody awaits
 * the conversion.
 */
export class ConversionPending extends ApiError {
  readonly convert: () => Promise<void>

  constructor(what: string, convert: () => Promise<void>) {
    const message = `${what} must be converted by a webhook, which is not possible at this point of the request`
    super(500, 'InternalError', message)
    this.convert = convert
  }
}

/** More conversions than a request needs, unless others write the same object all the time. */
const maxAttempts = 20

/** Runs synchronous work, or a write. If it needs a conversion, awaits the conversion and starts again. */
export async function converting<T>(work: () => T | Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConversionPending) || attempt === maxAttempts) throw error
      await error.convert()
    }
  }
}
