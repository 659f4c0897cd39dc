// What the images were made from, shown beside them until the answer.

import { h } from "./dom.js";
import { overlayView } from "./overlay.js";

/**
 * @import { ConditionPart, Part } from "../contract.js"
 * @import { Images } from "./images.js"
 * @import { Language } from "./i18n.js"
 */

/**
 * The conditions among parts; `null` without any. A region to edit is drawn over its source where both are there.
 * @param {readonly Part[]} parts
 * @param {Images} images
 * @param {Language} language
 * @returns {HTMLElement | null}
 */
export function conditionsView(parts, images, language) {
  const conditions = parts.filter((part) => part.part === "condition");
  if (conditions.length === 0) return null;
  const source = conditions.find((one) => one.kind === "source" && one.image !== null);
  const mask = conditions.find((one) => one.kind === "mask" && one.image !== null);
  const views = conditions.map((condition) => {
    const image = condition.image;
    if (condition === mask && source !== undefined) return null;
    if (condition === source && image !== null && mask !== undefined && mask.image !== null) {
      const named = titleOf(condition, language);
      return named.view(overlayView(images.element(image, named.title), images.element(mask.image, ""), language));
    }
    const named = titleOf(condition, language);
    return named.view(
      condition.text !== null && h("p", { class: "condition-text", dir: "auto" }, condition.text),
      image !== null && images.element(image, named.title),
    );
  });
  return h("section", { class: "conditions", "aria-label": language.text("condition.all") }, views);
}

/** @param {ConditionPart} condition @param {Language} language */
function titleOf(condition, language) {
  const kind = language.text(`condition.${condition.kind}`);
  const title = condition.label === null ? kind : `${kind}: ${condition.label}`;
  return {
    title,
    /** @param {(Node | false)[]} content */
    view: (...content) =>
      h("figure", { class: `condition ${condition.kind}` }, h("figcaption", { dir: "auto" }, title), content),
  };
}
