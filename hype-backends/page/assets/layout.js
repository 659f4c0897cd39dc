// The dimensions of trials, in CSS pixels or as shares of the window. Generated from the server's, which say what they
// are: UPDATE_CONTRACT=1 cargo test -p hype-backends --features web page_contract

export const LAYOUT = {
  belowShare: 0.46,
  besideLeast: 320,
  besideMost: 544,
  besideShare: 0.34,
  canvasGap: 24,
  canvasLabel: 40,
  caption: 34,
  figure: 80,
  footer: 40,
  frame: 12,
  gap: 20,
  header: 50,
  largest: 512,
  lesser: 0.5,
  lowShare: 0.3,
  margin: 20,
  panelHeight: 176,
  panelWidth: 320,
  preference: 1.2,
  slight: 1.05,
  smallest: 64,
  space: 12,
  wide: 800,
};
