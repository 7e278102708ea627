import { livingConditions } from '@agents/status'

export const artifactConditions = livingConditions({
  gates: [
    {
      type: 'StorageResolved',
      doc: {
        True: 'The storage that keeps it is known.',
        False: 'The storage that keeps it is not there yet.',
      },
      reasons: {
        Resolved: 'The storage is there.',
        MissingStorage: 'There is no storage of this name.',
      },
    },
    {
      type: 'Stored',
      doc: { True: 'It is kept and can be fetched.', False: 'It is not there to be fetched.' },
      reasons: {
        Stored: 'It can be fetched.',
        Uploading: 'It has not arrived in the storage yet.',
        Lost: 'It is not in the storage any more.',
        Expired: 'Its time is over, and it was removed.',
      },
    },
  ],
})
