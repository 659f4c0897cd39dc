// Types of the page's own modules, derived from the messages. For the type checker only; this file is not served.

import type {
  AnswerReport,
  DisturbedReport,
  Environment,
  MediaKind,
  PlaybackLapse,
  Screen,
  ScreenPart,
  ScreenPlayback,
} from './contract.js';

export type * from './contract.js';

export type PreviewPage = Extract<Screen, { screen: 'preview' }>;
export type AsidePage = Extract<Screen, { screen: 'aside' }>;
export type ConsentPage = Extract<Screen, { screen: 'consent' }>;
export type InstructionsPage = Extract<Screen, { screen: 'instructions' }>;
export type WaitingPage = Extract<Screen, { screen: 'waiting' }>;
export type TrialPage = Extract<Screen, { screen: 'trial' }>;
export type EndPage = Extract<Screen, { screen: 'end' }>;
export type ClosedPage = Extract<Screen, { screen: 'closed' }>;

export type ImagePart = Extract<ScreenPart, { part: 'image' }>;
export type ConditionPart = Extract<ScreenPart, { part: 'condition' }>;
export type PlatePart = Extract<ScreenPart, { part: 'plate' }>;
export type GalleryPart = Extract<ScreenPart, { part: 'gallery' }>;

/** The kind of a stimulus, absent for an image. */
export type Media = MediaKind;
export type Playback = ScreenPlayback;
export type PlayedSpan = PlaybackLapse;

/** The value of one question: an option or a text, a number, several options, marks, or the rank of each candidate. */
export type Value = string | number | readonly string[] | readonly (readonly number[])[] | Record<string, number>;
export type Answer = Record<string, Value>;

/** Reports as stored in the outbox. The name of the tab is added when they are sent. */
export type AnswerBody = Omit<AnswerReport, 'tab' | 'answer' | 'display' | 'scale' | 'inspection' | 'played'> & {
  answer: Answer;
  display: NonNullable<AnswerReport['display']> | null;
  scale: NonNullable<AnswerReport['scale']> | null;
  /** Absent if the rater did not look closely. */
  inspection?: NonNullable<AnswerReport['inspection']>;
  /** Absent if the trial shows neither clips nor texts. */
  played?: NonNullable<AnswerReport['played']>;
};
export type DisturbedBody = Omit<DisturbedReport, 'tab' | 'display'> & {
  display: NonNullable<DisturbedReport['display']> | null;
};
export type Report = { to: 'answer'; body: AnswerBody } | { to: 'disturbed'; body: DisturbedBody };

/** The measurements of a screen before the first trial. */
export type Calibration = Pick<Environment, 'frame_us' | 'frame_spread' | 'grain_us' | 'refresh_hz'>;
