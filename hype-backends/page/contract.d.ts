// The messages of docs/PAGE.md, for the type checker alone: nothing of this is served.

export type Money = { currency: string; base: string; per_correct: string };
export type Earned = { currency: string; base: string; bonus: string };
export type Study = { title: string; contact: string | null };
export type Needs = { width: number; height: number; refresh_hz: number; keyboard: boolean };
export type Option = { value: string; label: string; key: string | null };

export type Form =
  | { choice: { options: Option[] } }
  | { number: { minimum: number; maximum: number; whole: boolean } }
  | { ranking: { candidates: Option[]; ties: boolean } };

export type Question = { id: string; text: string; help: string | null; form: Form };
export type ConditionKind = 'prompt' | 'instruction' | 'source' | 'mask' | 'subject' | 'control';
export type GalleryImage = { label: string; image: string; width: number; height: number };

export type CountdownPart = { part: 'countdown'; from: number; each_ms: number };
export type ImagePart = {
  part: 'image';
  image: string;
  width: number;
  height: number;
  exposure_ms: number | null;
};
export type MasksPart = { part: 'masks'; images: string[]; each_ms: number };
export type ConditionPart = {
  part: 'condition';
  kind: ConditionKind;
  label: string | null;
  text: string | null;
  image: string | null;
};
export type GalleryPart = { part: 'gallery'; images: GalleryImage[]; exposure_ms: number | null };
export type Part = CountdownPart | ImagePart | MasksPart | ConditionPart | GalleryPart;

export type Trial = {
  number: number;
  showing: number;
  phase: 'qualification' | 'practice' | 'main';
  block: number;
  block_trials: number;
  in_block: number;
  rest_ms: number | null;
  parts: Part[];
  questions: Question[];
  feedback_ms: number | null;
};

export type Progress = { answered: number; at_most: number };

type Every = { language: string; study: Study };
export type ConsentScreen = Every & {
  screen: 'consent';
  paragraphs: string[];
  text: string;
  minimum_age: number | null;
  languages: string[];
  minutes: number | null;
  pay: Money | null;
};
export type InstructionsScreen = Every & {
  screen: 'instructions';
  paragraphs: string[];
  timed: boolean;
  flashes: boolean;
  needs: Needs | null;
};
export type TrialScreen = Every & { screen: 'trial'; trial: Trial; block: string[]; progress: Progress };
export type EndScreen = Every & {
  screen: 'end';
  ending: 'completed' | 'disqualified' | 'left';
  earned: Earned | null;
  code: string | null;
  redirect: string | null;
  next_rater: boolean;
};
export type ClosedReason = 'full' | 'over' | 'took-part' | 'link-used' | 'link-invalid' | 'expired';
export type ClosedScreen = Every & { screen: 'closed'; reason: ClosedReason };
export type Screen = ConsentScreen | InstructionsScreen | TrialScreen | EndScreen | ClosedScreen;

export type Receipt = { saved: true; correct: boolean | null; next: Screen };

export type ShownPart = {
  part: number;
  image: number;
  requested_ms: number;
  planned_frames: number;
  frames: number;
  onset_us: number;
  shown_us: number;
};
export type Display = {
  frame_us: number;
  grain_us: number;
  skipped: number;
  worst_late_us: number;
  suspect: boolean;
  parts: ShownPart[];
};
export type Reason = 'hidden' | 'blur' | 'fullscreen' | 'resize' | 'zoom' | 'freeze' | 'screen' | 'late';
export type Value = string | number | Record<string, number>;
export type Answer = Record<string, Value>;
export type AnswerReport = {
  trial: number;
  showing: number;
  answer: Answer;
  rt_us: number;
  display: Display | null;
};
export type DisturbedReport = { trial: number; showing: number; reason: Reason; display: Display | null };
export type Report = { to: 'answer'; body: AnswerReport } | { to: 'disturbed'; body: DisturbedReport };

export type Environment = {
  width: number;
  height: number;
  pixel_ratio: number;
  touch: boolean;
  refresh_hz: number;
  frame_us: number;
  frame_spread: number;
  grain_us: number;
  reduced_motion: boolean;
};
export type Calibration = {
  frame_us: number;
  frame_spread: number;
  grain_us: number;
  refresh_hz: number;
};
export type Fault = { error: { code: string; message: string } };
