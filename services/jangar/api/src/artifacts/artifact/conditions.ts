import { livingConditions } from '@agents/status'

export const artifactConditions = livingConditions({
  gates: [
    {
      type: 'StorageResolved',
      doc: {
        True: 'The platform has the storage.',
        False: 'The platform does not have the storage.',
      },
      reasons: {
        Resolved: 'The platform has the storage.',
        MissingStorage: 'The platform does not have the storage.',
      },
    },
    {
      type: 'Stored',
      doc: { True: 'The content can be downloaded.', False: 'The content cannot be downloaded.' },
      reasons: {
        Stored: 'The content can be downloaded.',
        NoSource: 'The artifact has no content: only pods of runs upload content.',
        Uploading: 'The content is not in the storage yet.',
        NotUploaded: 'The upload of the content did not end.',
        StoreFailed: 'The storage does not answer as it must. Tried again.',
        Lost: 'The content is no longer in the storage.',
        Expired: 'The artifact expired, and its content was deleted.',
      },
    },
  ],
})
