import { livingConditions } from '@agents/status'

export const artifactConditions = livingConditions({
  gates: [
    {
      type: 'StorageResolved',
      doc: {
        True: 'The storage exists.',
        False: 'The storage does not exist.',
      },
      reasons: {
        Resolved: 'The storage exists.',
        MissingStorage: 'The storage does not exist.',
      },
    },
    {
      type: 'Stored',
      doc: { True: 'The artifact can be downloaded.', False: 'The artifact cannot be downloaded.' },
      reasons: {
        Stored: 'The artifact can be downloaded.',
        Uploading: 'The artifact is not in the storage yet.',
        Lost: 'The artifact is no longer in the storage.',
        Expired: 'The artifact expired and was deleted.',
      },
    },
  ],
})
